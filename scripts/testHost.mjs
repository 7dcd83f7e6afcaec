// Runs test/host inside a real VS Code: `npm run test:host -- amp` runs the files whose path contains "amp".
import { bootstrap } from './lib/bootstrap.mjs';
import { cleanUpAtEnd } from './lib/processes.mjs';
import { keepTemporaryFilesInMemory } from './lib/tests/memoryFolder.mjs';

await bootstrap();
cleanUpAtEnd(keepTemporaryFilesInMemory());
const { runHostTests } = await import('./lib/tests/hostTests.mjs');
process.exit(await runHostTests(process.argv.slice(2)));
