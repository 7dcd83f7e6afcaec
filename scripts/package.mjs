// Writes backline.vsix at the root. With --strict a package that is too large or holds other files is an error.
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap();
const { checkPackage, packageVsix, vsixFile } = await import('./lib/vscode/vsix.mjs');
await packageVsix();
const problems = await checkPackage();
for (const problem of problems) console.error(problem);
console.log(vsixFile);
if (process.argv.includes('--strict') && problems.length > 0) process.exitCode = 1;
