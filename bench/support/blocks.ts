/**
 * Runs the work and measures for how long, at most, it keeps this thread from everybody else: milliseconds, without what
 * other threads and processes took of the processor meanwhile.
 */
export async function longestBlock(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let last = { wallMs: performance.now(), cpuMs: threadCpuMs() };
  let isDone = false;
  const watch = (): void => {
    const now = { wallMs: performance.now(), cpuMs: threadCpuMs() };
    longest = Math.max(longest, Math.min(now.wallMs - last.wallMs, now.cpuMs - last.cpuMs));
    last = now;
    if (!isDone) setImmediate(watch);
  };
  setImmediate(watch);
  await work();
  isDone = true;
  return longest;
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
