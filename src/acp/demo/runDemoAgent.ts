import { Readable, Writable } from 'node:stream';
import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import { agentProtocolRouter } from '@agentclientprotocol/sdk/experimental/v2';
import type { DemoOptions } from './options';
import { DemoSessions } from './session/sessions';
import { DemoTurns } from './session/demoTurns';
import { V1Agent } from './v1/v1Agent';
import { V2Agent } from './v2/v2Agent';

export const stdioStream = (): Stream => ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin));

export function warn(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** Answers a client until it disconnects and all turns have ended. */
export async function runDemoAgent({ protocol, stateFolder }: DemoOptions, stream: Stream): Promise<void> {
  const sessions = new DemoSessions(stateFolder);
  const turns = new DemoTurns(sessions, warn);
  const deps = { name: 'Demo agent (no model)', version: '1.0.0', sessions, turns, warn };
  const v1 = new V1Agent(deps).createApp();
  // The router continues in version 1 if the client offers only that version.
  if (protocol === 1) await v1.connect(stream).closed;
  else await agentProtocolRouter().withV1(v1).withV2(new V2Agent(deps).createApp()).connect(stream).closed;
  sessions.endAllTurns();
  await turns.whenTurnsEnd();
}
