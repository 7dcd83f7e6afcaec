import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { messageOf } from '../../base/common/errors';
import { DocumentAgent } from './draft/documentAgent';
import { DraftAgent } from './draft/draftAgent';
import { parseOptions, demoUsage, type DemoOptions } from './options';
import { DemoSessions } from './v1/sessions';
import { DemoSignIn } from './v1/demoSignIn';
import { StdioStream } from './stdioStream';
import { V1Agent } from './v1/v1Agent';

const name = 'Demo agent (no model)';
const version = '1.0.0';

function warn(message: string): void {
  process.stderr.write(`${message}\n`);
}

async function runV1Agent({ needsSignIn, stateFolder }: DemoOptions): Promise<void> {
  const sessions = new DemoSessions(stateFolder);
  const signIn = new DemoSignIn(needsSignIn, stateFolder);
  const stream = ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin));
  const agent = new V1Agent({ name, version, sessions, signIn, warn });
  await agent.createApp().connect(stream).closed;
  sessions.endAllTurns();
  await agent.whenTurnsEnd();
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
      await runV1Agent(options);
      return 0;
    case 'original':
      await new DraftAgent(new StdioStream(), process.cwd()).run();
      return 0;
    case 'document':
      await new DocumentAgent(new StdioStream(), process.cwd()).run();
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
