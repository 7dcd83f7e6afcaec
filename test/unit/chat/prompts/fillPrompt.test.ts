import assert from 'node:assert/strict';
import { fillPrompt } from '../../../../src/chat/common/prompts/fillPrompt';
import { promptReferences } from '../../../../src/chat/common/prompts/promptReferences';

const nobody = { editor: {}, ask: () => Promise.reject(new Error('nobody is asked')) };

async function claude(body: string, args = ''): Promise<string | undefined> {
  return (await fillPrompt(body, 'claude', args, nobody))?.text;
}

describe('fillPrompt, for commands of Claude Code', () => {
  it('puts all arguments into $ARGUMENTS, and each into its place', async () => {
    assert.equal(await claude('Fix $ARGUMENTS now', ' 12 high '), 'Fix 12 high now');
    assert.equal(await claude('$1 and $2', `"two words" it's`), "two words and it's");
    assert.equal(await claude('$2, $1', "'a b' c"), 'c, a b');
  });

  it('counts from 0 in files that do so', async () => {
    assert.equal(await claude('$0 then $1', 'a b'), 'a then b');
    assert.equal(await claude('$ARGUMENTS[1] then $0', 'a b'), 'b then a');
  });

  it('leaves a place that nothing was given for, so that it is seen, and empties $ARGUMENTS', async () => {
    assert.equal(await claude('$1 $2', 'a'), 'a $2');
    assert.equal(await claude('Fix $ARGUMENTS.'), 'Fix .');
  });

  it('adds arguments at the end that have no place', async () => {
    assert.equal(await claude('Review the changes.', 'only tests'), 'Review the changes.\n\nonly tests');
  });

  it('never fills in what an argument contains', async () => {
    assert.equal(await claude('$1 / $2', '$2 $ARGUMENTS'), '$2 / $ARGUMENTS');
  });

  it('runs no command, but makes it a part of the text, and names it', async () => {
    const filled = await fillPrompt('State: !`git status`\nLast: !`git log -1 $1`', 'claude', 'x', nobody);
    assert.deepEqual(filled, {
      text: 'State: `git status`\nLast: `git log -1 $1`\n\nx',
      commands: ['git status', 'git log -1 $1'],
    });
  });
});

describe('fillPrompt, for prompts of Codex', () => {
  const codex = async (body: string, args = '', answer?: string): Promise<string | undefined> =>
    (await fillPrompt(body, 'codex', args, { editor: {}, ask: () => Promise.resolve(answer) }))?.text;

  it('puts words into their places, and all of them into $ARGUMENTS', async () => {
    assert.equal(await codex('$2, $1: $ARGUMENTS', `a "b c"`), 'b c, a: a "b c"');
    assert.equal(await codex('$1 $2', 'a'), 'a $2');
    assert.equal(await codex('Costs $$1', 'a'), 'Costs $$1\n\na');
  });

  it('takes values by name, and asks for the others', async () => {
    assert.equal(
      await codex('Fix $FILE as $STYLE_2', 'FILE="a b.ts" now', 'told $FILE'),
      'Fix a b.ts as told $FILE\n\nnow',
    );
    assert.equal(await codex('Fix $FILE', '', undefined), undefined);
  });
});

describe('fillPrompt, for prompt files of VS Code', () => {
  const asked: string[] = [];
  beforeEach(() => void asked.splice(0));
  const fill = async (body: string, args = '', answer: string | undefined = 'answer', editor = {}) =>
    (
      await fillPrompt(body, 'vscode', args, {
        editor,
        ask: ({ name, placeholder }) => {
          asked.push(`${name}: ${placeholder ?? ''}`);
          return Promise.resolve(answer);
        },
      })
    )?.text;

  it('takes values by name, and asks for the others', async () => {
    const body = 'Make ${input:name:a name} in ${input:place} with ${input:style:say which}.';
    assert.equal(await fill(body, 'name=Form place="the shop"'), 'Make Form in the shop with answer.');
    assert.deepEqual(asked, ['style: say which']);
  });

  it('takes all words for the only input, and adds words that belong to none', async () => {
    assert.equal(await fill('Make ${input:name}.', 'a form'), 'Make a form.');
    assert.equal(await fill('Make ${input:name}.', 'name=X and test it'), 'Make X.\n\nand test it');
    assert.equal(await fill('Make it.', 'other=1'), 'Make it.\n\nother=1');
    assert.deepEqual(asked, []);
  });

  it('gives nothing when the user cancels', async () => {
    const cancelled = await fillPrompt('${input:a}', 'vscode', '', {
      editor: {},
      ask: () => Promise.resolve(undefined),
    });
    assert.equal(cancelled, undefined);
  });

  it('knows the file and the selection, and does not fill in what they contain', async () => {
    const editor = { folder: '/ws/shop', file: '/ws/shop/src/a.test.ts', selection: '${file}' };
    const body =
      '${workspaceFolderBasename} ${file} ${fileDirname} ${fileBasename} ${fileBasenameNoExtension} ${selection}';
    assert.equal(await fill(body, '', '', editor), 'shop /ws/shop/src/a.test.ts /ws/shop/src a.test.ts a.test ${file}');
  });

  it('says what is missing instead of sending a gap', async () => {
    await assert.rejects(fill('Test ${file}'), /needs a file/);
    await assert.rejects(fill('Explain ${selection}', '', '', { file: '/a' }), /needs a selection/);
    assert.equal(await fill('Keep ${other} and ${workspaceFolder}'), 'Keep ${other} and ${workspaceFolder}');
  });
});

describe('promptReferences', () => {
  it('finds links of VS Code and mentions of Claude Code, but no web addresses', () => {
    const links =
      'See [form](../docs/Form.md "the form") and [web](https://x.y/z), [a](#here), #file:b.ts, [form](../docs/Form.md)';
    assert.deepEqual(promptReferences(links, 'vscode'), ['../docs/Form.md', 'b.ts']);
    assert.deepEqual(promptReferences('Read @src/a.ts, @README.md. Not me@x.y', 'claude'), ['src/a.ts', 'README.md']);
  });
});
