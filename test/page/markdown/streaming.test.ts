import assert from 'node:assert/strict';
import { sharedMarkdown } from './support/openMarkdown';
import { sample } from './support/sample';

/** Of more lines than one piece, with what is open over several of them, and what is not plain. */
const codeLines = `const a = "one"; // 😀
/* a comment
 * of lines */
'''a text
of lines'''
\tif (a) { \u202e }

<b class="x">y</b>
  # more
`;
const longCode = ['ts', 'python', 'go', 'html', 'unknown', '']
  .map((language) => `Text\n\`\`\`${language}\n${codeLines.repeat(5)}\`\`\`\n`)
  .join('\n');

describe('markdown while it comes', () => {
  const opened = sharedMarkdown();

  const frames = (text: string, units = 1): Promise<string[]> =>
    opened.page.evaluate(([source, size]) => window.markdownPage.frames(source, size), [text, units] as const);

  it('keeps the nodes of what is complete, to the end', async () => {
    const kept = await opened.page.evaluate((text) => {
      const { markdownPage } = window;
      markdownPage.begin();
      const seen: { node: ChildNode; html: string }[] = [];
      const half = Math.floor(text.length * 0.6);
      for (let at = 0; at < half; at += 4) markdownPage.append(text.slice(at, Math.min(half, at + 4)));
      for (const node of [...markdownPage.container.children].slice(0, -1)) seen.push({ node, html: node.outerHTML });
      const changes: string[] = [];
      const observer = new MutationObserver((records) => {
        for (const { target } of records)
          if (seen.some(({ node }) => node.contains(target))) changes.push(target.nodeName);
      });
      observer.observe(markdownPage.container, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
      for (let at = half; at < text.length; at += 4) markdownPage.append(text.slice(at, at + 4));
      markdownPage.finish();
      for (const { target } of observer.takeRecords())
        if (seen.some(({ node }) => node.contains(target))) changes.push(target.nodeName);
      observer.disconnect();
      return {
        changes,
        count: seen.length,
        there: seen.every(({ node }, at) => markdownPage.container.children[at] === node),
      };
    }, sample);
    assert.ok(kept.count > 4);
    assert.deepEqual(kept.changes, []);
    assert.ok(kept.there);
  });

  it('keeps a selection in the paragraph that grows', async () => {
    const selected = await opened.page.evaluate(() => {
      const { markdownPage } = window;
      markdownPage.begin();
      markdownPage.append('Some words that are **selected by the');
      const text = markdownPage.container.querySelector('p')?.firstChild;
      if (text) document.getSelection()?.setBaseAndExtent(text, 5, text, 10);
      for (const delta of [' user** and', ' more', ' follows.\n\nNext', ' paragraph']) markdownPage.append(delta);
      markdownPage.finish();
      return document.getSelection()?.toString();
    });
    assert.equal(selected, 'words');
  });

  it('keeps the focus on a button of code that grows', async () => {
    const focused = await opened.page.evaluate(() => {
      const { markdownPage } = window;
      markdownPage.begin();
      markdownPage.append('```ts\nconst a = 1;\n');
      const button = markdownPage.container.querySelector<HTMLElement>('.md-action-copy');
      button?.focus();
      for (const delta of ['const', ' b = 2;', '\n', 'done();\n```\n', '\nText behind']) markdownPage.append(delta);
      markdownPage.finish();
      return button !== null && document.activeElement === button;
    });
    assert.ok(focused);
  });

  it('shows a bold word as bold before its end', async () => {
    const all = await frames('Some **bold** word');
    assert.ok(
      all.every((html) => !html.includes('*')),
      all.join('\n'),
    );
    assert.ok(all.some((html) => html.includes('<strong>bo</strong>')));
  });

  for (const [what, text, never] of [
    ['marks of inline code', 'Use `npm test` now', /`/],
    ['the address of a link', 'See [the site](https://example.com/path) for more', /\]|\(/],
    ['a table before it is one', '| a | b |\n|---|---|\n| 1 | 2 |\n', /\||---/],
    ['a heading for a list', 'Text\n- item\n- other\n', /<h\d/],
    ['the start of a block of code', 'Text\n```ts\nlet a;\n```\n', /`|<p>ts/],
    ['the box of a task as text', '- [x] done\n- [ ] open\n', /\[|\]/],
    ['half of a character', 'A 😀 face', /\ufffd/],
    ['the address of an image', '![a](data:image/png;base64,iVBORw0KGgo=) b', /!\[|\]\(/],
  ] as const)
    it(`never shows ${what}`, async () => {
      const all = await frames(text);
      const wrong = all.filter((html) => never.test(html));
      assert.deepEqual(wrong, []);
    });

  it('never takes back a letter of running text', async () => {
    const text = 'A **bold and *nested* word**, `code`, [a link](src/a.ts:1) and an end.\n\nMore _text_ here.\n';
    const all = await opened.page.evaluate((source) => {
      const { markdownPage } = window;
      markdownPage.begin();
      return Array.from(source, (character) => {
        markdownPage.append(character);
        return markdownPage.container.textContent;
      });
    }, text);
    for (const [at, shown] of all.entries())
      assert.ok(shown.startsWith(all[at - 1] ?? ''), `${all[at - 1]} → ${shown}`);
  });

  it('colours code line by line', async () => {
    const all = await frames('```ts\nconst a = 1;\nconst b = 2;\n```\n');
    assert.ok(all.some((html) => html.includes('hljs-keyword') && !html.includes('2')));
  });

  it('keeps the lines of code that are whole while more come', async () => {
    const kept = await opened.page.evaluate(() => {
      const { markdownPage } = window;
      markdownPage.begin();
      const line = (at: number): string => `const a${at} = "text"; // said\n`;
      markdownPage.append('Text\n\n```ts\n');
      for (let at = 0; at < 40; at++) markdownPage.append(line(at));
      const seen = [...markdownPage.container.querySelectorAll('.hljs-comment')].slice(0, -1);
      for (let at = 40; at < 80; at++) for (const part of line(at).split(/(?= )/)) markdownPage.append(part);
      markdownPage.finish();
      const now = [...markdownPage.container.querySelectorAll('.hljs-comment')];
      return { count: seen.length, there: seen.every((node, at) => node === now[at]) };
    });
    assert.equal(kept.count, 39);
    assert.ok(kept.there);
  });

  for (const units of [1, 16])
    it(`ends long code as the whole text, in deltas of ${units}`, async () => {
      const { whole, streamed } = await opened.page.evaluate(
        ([text, size]) => ({
          whole: window.markdownPage.render(text),
          streamed: window.markdownPage.streamed(text, size),
        }),
        [longCode, units] as const,
      );
      assert.equal(streamed, whole);
    });

  it('honours a reference that is defined later', async () => {
    const html = await opened.page.evaluate(() =>
      window.markdownPage.streamed('See [the site][1].\n\nText.\n\n[1]: https://example.com\n', 3),
    );
    assert.match(html, /data-target="https:\/\/example\.com"/);
  });
});
