import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { oldestNode } from '../../../scripts/lib/oldestNode.mjs';

const read = (file: string): string => readFileSync(file, 'utf8');

describe('the instructions of README.md', () => {
  const readme = read('README.md');
  /** What one sees first: from the first section on, up to the next one. */
  const [, first = ''] = /^## .*\n([^]*?)^## /m.exec(readme) ?? [];

  it('begin with the two commands of a fresh machine, which need nothing but Node.js', () => {
    const [, commands = ''] = /```sh\n([^]*?)```/.exec(first) ?? [];
    const lines = commands.trim().split('\n');
    assert.match(lines[0] ?? '', /^npm start +# runs .*sample workspace/);
    assert.match(lines[1] ?? '', /^npm test +# runs all tests$/);
    assert.equal(lines.length, 2);
    assert.match(first, /nothing but Node\.js/);
    assert.match(first, /`npm start` takes about 5 minutes/);
  });

  it('name commands that exist, and CI runs the same tests', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    assert.equal(scripts['start'], 'node scripts/start.mjs');
    assert.equal(scripts['test'], 'node scripts/test.mjs');
    assert.match(read('.ci/run'), /^exec npm test$/m);
  });

  it('and all other documents name one oldest Node.js', () => {
    const named = [
      'README.md',
      'CONTRIBUTING.md',
      'docs/architecture.md',
      'docs/protocols/acp.md',
      'docs/protocols/amplifier.md',
    ]
      .flatMap((file) => [
        ...read(file).matchAll(
          /Node(?:\.js)? v?(\d[\d.]*\d|\d+)(?= or newer|\+| or later)|Node\.js from (\d[\d.]*\d)/g,
        ),
      ])
      .map(([, version, from]) => version ?? from);
    assert.ok(named.length > 0);
    assert.deepEqual([...new Set(named)], [oldestNode]);
  });
});
