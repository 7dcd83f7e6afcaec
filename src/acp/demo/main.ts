import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { agentProtocolRouter } from '@agentclientprotocol/sdk/experimental/v2';
import { messageOf } from '../../base/common/errors';
import { DocumentedDraftAgent } from './draft/documentedDraftAgent';
import { DraftProtocolAgent } from './draft/draftAgent';
import { parseOptions, demoUsage, type DemoOptions } from './options';
import { DemoProviders } from './session/demoProviders';
import { DemoSessions } from './session/sessions';
import { DemoSignIn } from './session/demoSignIn';
import { DemoTurns } from './session/demoTurns';
import { StdioStream } from './stdioStream';
import { V1Agent } from './v1/v1Agent';
import { V2Agent } from './v2/v2Agent';

const name = 'Demo agent (no model)';
const version = '1.0.0';

function warn(message: string): void {
  process.stderr.write(`${message}\n`);
}

async function runAgent({ hasProviders, needsSignIn, stateFolder, protocol }: DemoOptions): Promise<void> {
  const sessions = new DemoSessions(stateFolder);
  const signIn = new DemoSignIn(needsSignIn, stateFolder);
  const turns = new DemoTurns(sessions, warn);
  const stream = ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin));
  const providers = hasProviders ? new DemoProviders() : undefined;
  const deps = { name, version, providers, sessions, signIn, turns, warn };
  const v1 = new V1Agent(deps).createApp();
  // The router continues in version 1 if the client offers only that version.
  if (protocol === 1) await v1.connect(stream).closed;
  else await agentProtocolRouter().withV1(v1).withV2(new V2Agent(deps).createApp()).connect(stream).closed;
  sessions.endAllTurns();
  await turns.whenTurnsEnd();
}

async function main(argv: readonly string[]): Promise<number> {
  let options: DemoOptions;
  try {
    options = parseOptions(argv);
  } catch (error) {
    warn(`${messageOf(error)}\n\n${demoUsage}`);
    return 2;
  }
  if (options.isSigningIn) {
    await new DemoSignIn(true, options.stateFolder).signIn();
    warn('Signed in to the demo. You may close this terminal.');
    return 0;
  }
  switch (options.dialect) {
    case 'v1':
      await runAgent(options);
      return 0;
    case 'original':
      await new DraftProtocolAgent(new StdioStream(), process.cwd()).run();
      return 0;
    case 'document':
      await new DocumentedDraftAgent(new StdioStream(), process.cwd()).run();
      return 0;
  }
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    warn(messageOf(error));
    process.exit(1);
  },
);
