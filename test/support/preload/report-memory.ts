// Loaded before a program (`node --import`). It prints its peak memory to standard error at the end.
process.once('exit', () => {
  process.stderr.write(`peak MiB ${Math.round(process.resourceUsage().maxRSS / 1024)}\n`);
});
