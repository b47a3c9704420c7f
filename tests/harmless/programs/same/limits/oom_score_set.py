"""A program sets its own score for the OOM killer."""

open("/proc/self/oom_score_adj", "w").write("300")
print(open("/proc/self/oom_score_adj").read())
