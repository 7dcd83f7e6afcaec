// Lists every text that users may read, with its place: `npm run strings`, or `npm run strings -- chat` for the paths with "chat" in them.
import { readdirSync, readFileSync } from 'node:fs';
import { inRoot } from './lib/paths.mjs';
import { manifestTextsOf, screenTextsOf } from './lib/screenTexts.mjs';

const filters = process.argv.slice(2);
const sources = readdirSync(inRoot('src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => `src/${file.replaceAll('\\', '/')}`)
  .sort();

for (const file of ['package.nls.json', ...sources]) {
  if (filters.length > 0 && !filters.some((filter) => file.includes(filter))) continue;
  const source = readFileSync(inRoot(file), 'utf8');
  const texts = file.endsWith('.json') ? manifestTextsOf(file, source) : screenTextsOf(file, source);
  for (const { line, text } of texts) console.log(`${file}:${line}: ${text.replaceAll(/\s*\n\s*/g, ' ⏎ ')}`);
}
