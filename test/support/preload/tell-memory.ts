// Loaded before a program (`node --import`): tells on standard error at its end how much memory it held at most.
process.once('exit', () => {
  process.stderr.write(`peak MiB ${Math.round(process.resourceUsage().maxRSS / 1024)}\n`);
});
