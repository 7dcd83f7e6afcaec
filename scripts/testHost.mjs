// Runs test/host inside a real VS Code: `npm run test:host -- amp` runs the files whose path contains "amp".
import { bootstrap } from './lib/bootstrap.mjs';
import { endWhenInterrupted } from './lib/processes.mjs';
import { keepTemporaryFilesInMemory } from './lib/tests/memoryFolder.mjs';

await bootstrap();
const removeTemporaryFiles = keepTemporaryFilesInMemory();
endWhenInterrupted(removeTemporaryFiles);
process.on('exit', removeTemporaryFiles);
const { runHostTests } = await import('./lib/tests/hostTests.mjs');
process.exit(await runHostTests(process.argv.slice(2)));
