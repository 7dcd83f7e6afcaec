import { messageOf } from '../../base/common/errors';
import { parseOptions, demoUsage, type DemoOptions } from './options';
import { runDemoAgent, stdioStream, warn } from './runDemoAgent';

async function main(argv: readonly string[]): Promise<number> {
  let options: DemoOptions;
  try {
    options = parseOptions(argv);
  } catch (error) {
    warn(`${messageOf(error)}\n\n${demoUsage}`);
    return 2;
  }
  await runDemoAgent(options, stdioStream());
  return 0;
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    warn(messageOf(error));
    process.exit(1);
  },
);
