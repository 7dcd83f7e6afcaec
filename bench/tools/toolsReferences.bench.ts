/**
 * 200 questions "who uses this symbol" in a workspace of 2,000 TypeScript files, answered by the tool `references` in a real VS
 * Code, and by the ripgrep that ships with it. A right answer names each line that declares, imports, exports or uses
 * the symbol, and no other. `tools.references.right`: percent of right answers, against the one ripgrep pattern that has
 * most, with the shortest output among equals. `tools.references.bytes`: what a model reads for all answers, against the output of that pattern, without what it
 * would have to open to sort out the namesakes.
 */
import { createReferenceWorkspace } from '../lib/tools/referenceWorkspace';
import { runInVsCode } from '../lib/inVsCode';

async function main(): Promise<void> {
  const { files } = createReferenceWorkspace();
  const options = { strict: true, module: 'commonjs', skipLibCheck: true, types: [] };
  const config = JSON.stringify({ compilerOptions: options, include: ['src'] });
  await runInVsCode('toolsReferences', new Map([...files, ['tsconfig.json', config]]));
}

void main();
