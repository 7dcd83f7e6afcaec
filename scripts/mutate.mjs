// Changes guards of a feature one at a time and lists the changes that no unit test notices:
// `npm run mutate -- chat`, `npm run mutate -- chat conversationTitle`, `npm run mutate -- threads --limit 60 --seed 1`.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bootstrap } from './lib/bootstrap.mjs';
import { cleanUpAtEnd } from './lib/processes.mjs';
import { removeFolder } from './lib/removeFolder.mjs';

await bootstrap();
const { mutateFeature } = await import('./lib/mutate/mutateFeature.mjs');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { limit: { type: 'string' }, seed: { type: 'string', default: '1' } },
});
const [feature, ...filters] = positionals;
const [limit, seed] = [values.limit === undefined ? Infinity : Number(values.limit), Number(values.seed)];
if (feature === undefined || !/^[a-z]+$/.test(feature) || Number.isNaN(limit) || !Number.isInteger(seed)) {
  console.error('Usage: npm run mutate -- <folder of src> [words in the paths of sources] [--limit N] [--seed S]');
  process.exit(2);
}
const folder = mkdtempSync(path.join(tmpdir(), 'backline-mutate-'));
cleanUpAtEnd(() => removeFolder(folder));
await mutateFeature({ feature, filters, limit, seed, folder });
process.exit(0);
