/** How long the processor works on this, in milliseconds. A machine that has other things to do does not make it longer. */
export function processorMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
