// The demo agent with what only tests need: the dialect of June 2025, a sign-in, and LLM providers.
import { parseOptions } from '../../../../src/acp/demo/options';
import { runDemoAgent, stdioStream } from '../../../../src/acp/demo/runDemoAgent';
import { DemoProviders } from './demoProviders';
import { DemoSignIn } from './demoSignIn';
import { DocumentedDraftAgent } from './documentedDraftAgent';
import { DraftProtocolAgent } from './draftAgent';
import { StdioStream, writeToStderr } from './stdioStream';
import { withSignInAndProviders } from './withSignInAndProviders';

/**
 * `--draft`: speaks the draft protocol as implemented; `--draft=document`: as documented. `--auth`: requires a sign-in;
 * `--sign-in`: signs in (with `--state`) and exits. `--providers`: offers two LLM providers.
 */
const ownOptions = ['--draft', '--draft=document', '--auth', '--sign-in', '--providers'];

async function main(argv: readonly string[]): Promise<void> {
  if (argv.includes('--draft')) await new DraftProtocolAgent(new StdioStream(), process.cwd()).run();
  else if (argv.includes('--draft=document')) await new DocumentedDraftAgent(new StdioStream(), process.cwd()).run();
  else await runExtended(argv);
}

async function runExtended(argv: readonly string[]): Promise<void> {
  const options = parseOptions(argv.filter((argument) => !ownOptions.includes(argument)));
  const signIn = new DemoSignIn(argv.includes('--auth'), options.stateFolder);
  if (argv.includes('--sign-in')) {
    await signIn.signIn();
    return;
  }
  const providers = argv.includes('--providers') ? new DemoProviders() : undefined;
  await runDemoAgent(options, withSignInAndProviders(stdioStream(), signIn, providers));
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    writeToStderr(error);
    process.exit(1);
  },
);
