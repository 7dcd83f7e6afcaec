import assert from 'node:assert/strict';
import { commitMessageIn, commitPrompt } from '../../../src/startingPoints/common/commitMessage';

const facts = { changes: [{ path: 'a.ts', diff: '-one\n+two' }], hiddenCount: 0, messages: [], typed: '' };

describe('a commit message by an agent', () => {
  it('is what the agent answers, without fences, quotes and an introduction', () => {
    const message = 'fix: the price\n\nIt was wrong.';
    for (const answer of [
      message,
      `\n${message}  \n`,
      `\`\`\`\n${message}\n\`\`\``,
      `Here is the commit message:\n\`\`\`text\n${message}\n\`\`\`\n`,
      `“${message}”`,
      `Commit message: ${message}`,
      `Here is the commit message:\n\n\`\`\`\n${message}\n\`\`\``,
      `Here’s the commit message:\n\n${message}`,
    ])
      assert.equal(commitMessageIn(answer), message, answer);
    assert.equal(commitMessageIn('feat: "quoted" words, `code`'), 'feat: "quoted" words, `code`');
    for (const whole of [
      '`foo` now returns `bar`',
      '"Open" is renamed to "Show"',
      'feat: y\n\n```sh\nnpm i\n```',
      'feat: y\n\n```sh\nnpm i\n```\n\nand more',
    ])
      assert.equal(commitMessageIn(whole), whole);
    assert.equal(commitMessageIn(' \n'), '');
  });

  it('is asked for with the changes, the last messages and what was typed', () => {
    const prompt = commitPrompt({
      ...facts,
      messages: ['feat: one\n\nbody', 'fix: two'],
      typed: 'the price',
      hiddenCount: 2,
    });
    assert.match(prompt, /> feat: one\n>\n> body\n> fix: two\n/);
    assert.match(prompt, /The user has typed this. Keep what it says:\n> the price\n/);
    assert.match(prompt, /changes in 2 more files[^]*-one\n\+two$/);
    assert.match(commitPrompt(facts), /at most 72 characters/);
  });

  it('is asked for with 300 names at most, and says how many more there are', () => {
    const changes = Array.from({ length: 450 }, (_, index) => ({ path: `${index}.png`, diff: '' }));
    assert.match(commitPrompt({ ...facts, changes }), /Changed: 299\.png\n… and changes in 150 more files$/);
  });

  it('is asked for with at most 96 KiB of changes: the rest is named', () => {
    const changes = Array.from({ length: 20 }, (_, index) => ({ path: `${index}.ts`, diff: 'x'.repeat(20_000) }));
    const prompt = commitPrompt({ ...facts, changes: [...changes, { path: 'picture.png', diff: '' }] });
    assert.ok(prompt.length < 100_000);
    assert.match(prompt, /Changed: 19\.ts\nChanged: picture\.png$/);
  });
});
