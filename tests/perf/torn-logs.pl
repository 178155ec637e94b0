#!/usr/bin/perl
# torn-logs LOG DIR N: writes N logs to DIR, each LOG with a few lines lost,
# doubled, cut, joined, or put where they do not belong. The same each time.
use strict;
use warnings;

my ($log, $dir, $n) = @ARGV;
open my $in, '<', $log or die "torn-logs: $log: $!\n";
my @whole = <$in>;
my @stray = (
	"\n", "|\n", "| \n", "| 1\n", "| x\n", "|1\n", "0\n", "\0\n", "\r\n",
	"| 1.5ms   | Long" . " | f32" x 100 . "\n",
	"| 1.5ms   | Longer" . " | f32" x 400 . "\n",
	"Long and foreign" . " | 1" x 200 . "\n",
	"| not measured | Unary\n", "Testing b\n", "Success\n", "kc: whole\n",
	"bench-config: x\n", "thread 'main' panicked at x.rs:1:1:\n",
	"| Total | 1ms | 1 | 100 % |\n", "\xEF\xBB\xBF",
);
srand 8;
for my $i (1 .. $n) {
	my @line = @whole;
	for (0 .. int rand 6) {
		my $at = int rand @line;
		my $what = int rand 7;
		my $other = rand 2 < 1 ? $stray[rand @stray] : $line[rand @line];
		if ($what == 0) { splice @line, $at, 1 }
		elsif ($what == 1) { splice @line, $at, 0, $other }
		elsif ($what == 2) { splice @line, $at, 0, ($other) x rand 300 }
		elsif ($what == 3) { $line[$at] =~ s/\n// }
		elsif ($what == 4) { substr $line[$at], rand length $line[$at], 1, '' }
		elsif ($what == 5) { substr $line[$at], rand length $line[$at], 0, "\n" }
		else { s/\n/\r\n/ for @line[$at .. $#line] }
	}
	open my $out, '>', "$dir/$i" or die "torn-logs: $dir/$i: $!\n";
	print $out @line or die "torn-logs: $dir/$i: $!\n";
	close $out or die "torn-logs: $dir/$i: $!\n";
}
