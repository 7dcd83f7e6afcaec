import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { oldestNode } from '../../../scripts/lib/oldestNode.mjs';

const read = (file: string): string => readFileSync(file, 'utf8');

interface Contributes {
  readonly commands: readonly { readonly command: string; readonly title: string }[];
  readonly keybindings: readonly { readonly command: string; readonly key: string }[];
  readonly menus: { readonly commandPalette: readonly { readonly command: string; readonly when?: string }[] };
  readonly configuration: readonly { readonly properties: Readonly<Record<string, unknown>> }[];
}

const { contributes } = JSON.parse(read('package.json')) as { contributes: Contributes };
const texts = JSON.parse(read('package.nls.json')) as Readonly<Record<string, string>>;
/** Without the ellipsis of a command that asks for more. */
const textOf = (title: string): string => (texts[title.slice(1, -1)] ?? title).replace(/…$/, '');

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

  it('name nine commands with their keys', () => {
    const rows = [...readme.matchAll(/^\| Backline: (.+?) \| (<kbd>.+?) \|/gm)].map(([, title, keys = '']) => {
      const pressed = [...keys.matchAll(/<kbd>(.+?)<\/kbd>/g)].map(([, key = '']) => key.toLowerCase());
      return `${title}: ${pressed.join(' ')}`;
    });
    const { commands, keybindings } = contributes;
    const bound = keybindings.map(({ command, key }) => {
      const title = commands.find((one) => one.command === command)?.title ?? '';
      return `${textOf(title)}: ${key}`;
    });
    assert.equal(rows.length, 9);
    for (const row of rows) assert.ok(bound.includes(row), row);
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

describe('the lists in docs', () => {
  it('name all commands of the palette, and no others', () => {
    const { commands, menus } = contributes;
    const hidden = new Set(menus.commandPalette.filter(({ when }) => when === 'false').map(({ command }) => command));
    const shown = commands.filter(({ command }) => !hidden.has(command)).map(({ title }) => textOf(title));
    const listed = [...read('docs/commands.md').matchAll(/^\| Backline: (.+?) \|/gm)].flatMap(([, titles = '']) =>
      titles.split(', ').map((title) => title.replace(/…$/, '')),
    );
    assert.deepEqual(listed.toSorted(), shown.toSorted());
  });

  it('name all settings, and no others', () => {
    const declared = contributes.configuration.flatMap(({ properties }) => Object.keys(properties));
    const listed = [...read('docs/settings.md').matchAll(/^\| `(.+?)` \|/gm)].map(([, name]) => name);
    assert.deepEqual(listed.toSorted(), declared.toSorted());
  });
});
