import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { progressMessagesByChatTool } from '../../../src/tools/common/chatTools';
import type { Diagnostic } from '../../../src/editor/common/editorPort';
import { lineRange } from './support/fakeLanguage';
import { bench, main, other, secret } from './support/parserWorkspace';

const actingTools = ['edit_file', 'rename', 'format', 'fixes', 'tasks', 'tests'];

describe('the tools of the window', () => {
  const problem = (line: number, severity: Diagnostic['severity'], message: string): Diagnostic => ({
    range: lineRange(line, 2),
    severity,
    message,
    source: 'ts',
    code: '2304',
    lineText: '  wrong();',
    startOffset: 0,
    endOffset: 0,
  });

  it('problems are told worst first, by file, at least as bad as asked', async () => {
    const made = bench();
    made.editor.setDiagnostics(main, [
      problem(4, 'warning', 'meh'),
      problem(9, 'error', 'Cannot\n find'),
      problem(1, 'hint', 'hm'),
    ]);
    made.openFiles = [{ path: main, isActive: true, isVisible: true, isUnsaved: false }];
    assert.match(
      await made.call('problems', { path: 'src/main.ts' }),
      /^2 problems in src\/main\.ts, 1 error\. Version \w{4,8}\nsrc\/main\.ts\n {2}10: error \(ts 2304\): Cannot find {2}\| wrong\(\);\n {2}5: warning \(ts 2304\): meh {2}\| wrong\(\);$/,
    );
    assert.match(await made.call('problems', { severity: 'error' }), /^1 problem in the workspace, 1 error/);
    assert.match(await made.call('problems', { severity: 'all' }), /^3 problems/);
    assert.match(
      await made.call('problems', { path: 'src/other.ts' }),
      /no problems in src\/other\.ts[^]*check only open files/,
    );
    for (const input of [{}, { path: 'src' }]) assert.doesNotMatch(await made.call('problems', input), /not open/);
    for (const [count, rest] of [
      [51, '… 1 more problem: page 2 of 2 has the next.'],
      [52, '… 2 more problems: page 2 of 2 has the next.'],
    ] as const) {
      made.editor.setDiagnostics(
        main,
        Array.from({ length: count }, (_, line) => problem(count - line, 'error', 'wrong')),
      );
      const rows = (await made.call('problems')).split('\n');
      assert.deepEqual([rows[2]?.slice(0, 5), rows.at(-1)], ['  2: ', rest]);
    }
    await assert.rejects(made.call('problems', { path: 'src/.env' }), /exclude/);
  });

  it('problems say that there are more files than they look at', async () => {
    const made = bench();
    const fill = (count: number): void => {
      for (let index = 0; index < count; index++)
        made.editor.setDiagnostics(`/ws/src/f${index}.ts`, [problem(1, 'hint', 'hm'), problem(2, 'error', 'wrong')]);
    };
    fill(1_000);
    const whole = await made.call('problems');
    assert.match(whole, /^1000 problems in the workspace/);
    assert.doesNotMatch(whole, /were read\./);
    fill(1_001);
    const cut = /\nOnly the first 1000 files with problems were read\. Name a folder/;
    const told = await made.call('problems');
    assert.match(told, /^1000 problems in the workspace/);
    assert.match(told, cut);
    const since = /Version (\w+)/.exec(told)?.[1];
    const changed = made.call('problems', { since });
    for (let pause = 0; pause < 30; pause++) {
      for (let turn = 0; turn < 50; turn++) await Promise.resolve();
      made.clock.advance(250);
    }
    assert.match(await changed, cut);
    for (let index = 0; index < 1_001; index++)
      made.editor.setDiagnostics(`/ws/src/f${index}.ts`, [problem(1, 'hint', 'hm')]);
    assert.match(await made.call('problems'), /^VS Code shows no problems in the workspace\. Version \w+$/);
    assert.match(await made.call('problems', { severity: 'all' }), cut);
  });

  it('selection and open_editors tell what the user has, without excluded files', async () => {
    const made = bench();
    assert.match(await made.call('selection'), /is viewing no file/);
    made.editor.select(main, { ...lineRange(1, 2, 7), text: 'parse' });
    assert.equal(await made.call('selection'), 'src/main.ts\nSelected in line 2:\nparse');
    assert.match(await made.call('open_editors'), /No file/);
    made.openFiles = [
      { path: secret, isActive: true, isVisible: true, isUnsaved: true },
      { path: main, isActive: false, isVisible: true, isUnsaved: true },
      { path: other, isActive: false, isVisible: false, isUnsaved: false },
    ];
    assert.equal(
      await made.call('open_editors'),
      '2 files are open\n  src/main.ts (visible, not saved)\n  src/other.ts',
    );
  });

  it('open shows files and their lines, and never a link', async () => {
    const made = bench();
    assert.equal(
      await made.call('open', { path: 'src/main.ts', line: 2, to: 4 }),
      'The user sees src/main.ts at line 2.',
    );
    assert.deepEqual(made.editor.opened, [
      { target: 'file:///ws/src/main.ts#L2-L4', options: { preserveFocus: true, preview: true } },
    ]);
    made.editor.folders = [];
    await assert.rejects(made.call('open', { path: 'https://example.com' }));
    assert.equal(made.editor.opened.length, 1);
  });

  it('show_diff has one diff of a file and a few at once, and closes them in the end', async () => {
    const made = bench();
    await made.call('show_diff', { path: 'src/main.ts', text: 'one' });
    await made.call('show_diff', { path: 'src/main.ts', text: 'two', title: 'Better' });
    assert.deepEqual(
      made.editor.diffs.map(({ disposed, title }) => [disposed, title]),
      [
        [true, 'src/main.ts: proposed'],
        [false, 'Better'],
      ],
    );
    for (let index = 0; index < 5; index++) await made.call('show_diff', { path: `new${index}.ts`, text: '' });
    assert.equal(made.editor.diffs.filter(({ disposed }) => !disposed).length, 5);
    made.tools.dispose();
    assert.ok(made.editor.diffs.every(({ disposed }) => disposed));
    await assert.rejects(made.call('show_diff', { path: '.env', text: '' }), /exclude/);
  });

  it('are declared in package.json as they are, where VS Code has none like them', () => {
    const manifest = z
      .object({ contributes: z.object({ languageModelTools: z.array(z.record(z.string(), z.unknown())) }) })
      .parse(JSON.parse(readFileSync('package.json', 'utf8')));
    const { tools } = bench().tools;
    for (const name of Object.keys(progressMessagesByChatTool)) {
      const declared = manifest.contributes.languageModelTools.find((tool) => tool['name'] === `backline_${name}`);
      const definition = tools.find((tool) => tool.definition.name === name)?.definition;
      assert.ok(definition, name);
      assert.equal(declared?.['modelDescription'], definition.description);
      assert.deepEqual(declared['inputSchema'], definition.inputSchema);
      assert.equal(declared['when'], 'config.backline.tools.enabled');
    }
  });

  it('are all described for models: short, closed schemas, and marked as reading unless they act', () => {
    const { tools } = bench().tools;
    for (const { definition } of tools) {
      assert.match(definition.name, /^[a-z_]{4,16}$/);
      assert.ok(definition.description.length < 260, definition.name);
      assert.match(JSON.stringify(definition.inputSchema), /^\{"type":"object".*"additionalProperties":false\}$/);
      assert.equal(definition.annotations?.readOnlyHint, !actingTools.includes(definition.name), definition.name);
    }
    const size = JSON.stringify(tools.map(({ definition }) => definition)).length;
    assert.ok(size < 14_000, `${size} characters in every session`);
  });
});
