// Loaded before a program (`node --import`): prints its peak memory on standard error when it ends.
process.once('exit', () => {
  process.stderr.write(`peak MiB ${Math.round(process.resourceUsage().maxRSS / 1024)}\n`);
});
