# launches.py: a ReFrame test that has kernel-count count a crate and fails when a
# count is not the one expected. Counts are exact, so the references allow nothing:
# a tolerance of 0 both ways. Run it by
#
#	KERNEL_COUNT=path CRATE=path reframe -c launches.py -r
#
# CONFIGS are the configurations, and MAKE_ARGS more for make, as the shell takes
# it: MAKE_ARGS="RUN='srun -n1'" counts on a cluster.
import os

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class Launches(rfm.RunOnlyRegressionTest):
    valid_systems = ['*']
    valid_prog_environs = ['*']
    local = True
    sourcesdir = None
    kernel_count = variable(str, value=os.environ.get('KERNEL_COUNT', '.'))
    crate = variable(str, value=os.environ.get('CRATE', '.'))
    executable = 'make'
    # case: launches of one iteration
    expected = variable(dict, value={'forward/a': 7, 'forward/b': 8, 'step/c': 3})

    @run_before('run')
    def what(self):
        self.executable_opts = [
            '-C', self.kernel_count, 'report', f'CRATE={self.crate}',
            f'CONFIGS={os.environ.get("CONFIGS", "cuda")}',
            f'LOG_DIR={self.stagedir}/logs', f'OUT={self.stagedir}/kernels.md',
            os.environ.get('MAKE_ARGS', ''),
        ]
        self.reference = {'*': {case: (n, 0, 0, 'launches') for case, n in self.expected.items()}}

    # A count that is refused fails make, and so this.
    @sanity_function
    def counted(self):
        return sn.assert_eq(self.job.exitcode, 0)

    @run_before('performance')
    def counts(self):
        rows = f'{self.stagedir}/logs/today.tsv'

        def count(case):
            return sn.extractsingle(rf'^(\d+)\trepeated\t[^\t]+\t{case}$', rows, 1, int)

        self.perf_variables = {
            case: sn.make_performance_function(count(case), 'launches') for case in self.expected}
