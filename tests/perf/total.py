# total.py LOG: a regular expression of Python over the whole text: each case
# and the total of its last table.
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
for case in re.finditer(r"^Testing ([^\n]*)$(.*?)^Success$", text, re.M | re.S):
    totals = re.findall(r"^\| Total +\| .*? +\| (\d+) +\| 100 % \|$", case[2], re.M)
    print(totals[-1], case[1])
