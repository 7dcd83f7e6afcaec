import { agentScript } from './agentScript';

/**
 * Stands for npm's client: does what is asked for without a registry, and writes how it was called into the package. Fails
 * where VS Code's program would start as an editor.
 */
export const fakeNpm = `
  const fs = require('node:fs'), path = require('node:path');
  const args = process.argv.slice(2);
  if (process.env.ELECTRON_RUN_AS_NODE !== '1') throw new Error('not as Node.js');
  if (args[0] === 'view') {
    console.log(JSON.stringify({ name: '@test/agent', version: '1.0.0', bin: { agent: 'run.js' } }));
  } else {
    const own = path.join(args[args.indexOf('--prefix') + 1], 'node_modules/@test/agent');
    fs.mkdirSync(own, { recursive: true });
    fs.writeFileSync(path.join(own, 'package.json'), JSON.stringify({ bin: { agent: 'run.js' }, args }));
    fs.writeFileSync(path.join(own, 'run.js'), ${JSON.stringify(agentScript)});
  }`;
