// Runs test/host inside a real VS Code: `npm run test:host -- amp` runs the files whose path contains "amp".
import { bootstrap } from './lib/bootstrap.mjs';
import { endWhenInterrupted } from './lib/processes.mjs';

await bootstrap();
endWhenInterrupted();
const { runHostTests } = await import('./lib/tests/hostTests.mjs');
process.exit(await runHostTests(process.argv.slice(2)));
