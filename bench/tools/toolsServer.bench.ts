/**
 * The MCP server of the window against one with the official SDK, each in a process of its own with one tool, over
 * streamable HTTP. `tools.server.bundle`: minified code without zod. `tools.server.start`: from the start of the process until it
 * listens. `tools.server.call`: p50 of a call, against the faster of the SDK's two ways, with sessions and without.
 */
import { median, printBenchLine } from '../lib/benchLine';
import { buildOurs, buildSdk, RunningMcpServer, sdkVersion, type McpSubject } from '../lib/tools/mcpSubjects';

const starts = 9;
const warmUps = 100;
const rounds = 300;

async function main(): Promise<void> {
  const [sdk, sdkWithSessions] = [await buildSdk(false), await buildSdk(true)];
  if (!sdk || !sdkWithSessions) {
    console.error('SKIPPED: the official SDK could not be installed.');
    return;
  }
  const ours = await buildOurs();
  const name = `@modelcontextprotocol/sdk ${sdkVersion}`;
  printBenchLine({
    bench: 'tools.server.bundle',
    value: ours.bytes / 1_024,
    unit: 'KiB',
    peer: { name, value: sdk.bytes / 1_024 },
    bar: 1,
    better: 'lower',
  });
  const started = await startMs([ours, sdk]);
  printBenchLine({
    bench: 'tools.server.start',
    value: started[0] ?? 0,
    unit: 'ms',
    peer: { name, value: started[1] ?? 0 },
    bar: 1,
    better: 'lower',
  });
  const [ourCall = 0, ...sdkCalls] = await callMs([ours, sdk, sdkWithSessions]);
  printBenchLine({
    bench: 'tools.server.call',
    value: ourCall,
    unit: 'ms',
    peer: { name, value: Math.min(...sdkCalls) },
    // They differ by less than a busy machine does.
    bar: 1.2,
    better: 'lower',
  });
}

async function startMs(subjects: readonly McpSubject[]): Promise<readonly number[]> {
  const times = subjects.map((): number[] => []);
  for (let round = 0; round < starts; round++) {
    for (const [index, subject] of subjects.entries()) {
      const server = await RunningMcpServer.start(subject);
      times[index]?.push(server.startedMs);
      await server.stop();
    }
  }
  return times.map(median);
}

/** The servers take turns, so that a busy moment is the same for all. */
async function callMs(subjects: readonly McpSubject[]): Promise<readonly number[]> {
  const servers: RunningMcpServer[] = [];
  try {
    for (const subject of subjects) servers.push(await RunningMcpServer.start(subject));
    for (const server of servers) await server.initialize();
    const times = servers.map((): number[] => []);
    for (let round = 1; round <= warmUps + rounds; round++) {
      for (const [index, server] of servers.entries()) {
        const ms = await server.callMs();
        if (round > warmUps) times[index]?.push(ms);
      }
    }
    return times.map(median);
  } finally {
    for (const server of servers) await server.stop();
  }
}

void main();
