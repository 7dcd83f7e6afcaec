import assert from 'node:assert/strict';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { commandLink } from '../../../../src/platform/common/commandLink';

describe('a Markdown link that runs a command', () => {
  const markdown = new MarkdownIt();
  markdown.validateLink = () => true;
  const argumentsIn = (link: string): unknown => {
    const [opened, text, closed, ...more] = markdown.parseInline(`${link} · next`, {})[0]?.children ?? [];
    assert.deepEqual([opened?.type, text?.content, closed?.type, more.length], ['link_open', 'Undo', 'link_close', 1]);
    const [command, query] = String(opened?.attrGet('href')).split('?');
    assert.equal(command, 'command:backline.undo');
    return JSON.parse(decodeURIComponent(query ?? ''));
  };

  it('keeps its arguments whatever a file is called', () => {
    const special = ['(', ')', '[', ']', '<', '>', '\\', '`', '"', "'", '%', '?', '#', '&', ' ', 'é', 'a'];
    const name = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: fc.constantFrom(...special) }));
    fc.assert(
      fc.property(fc.array(name), (args) => {
        assert.deepEqual(argumentsIn(commandLink('Undo', 'backline.undo', args)), args);
      }),
      { examples: [[['/smile:).md']], [['/a(b/c.ts']]] },
    );
  });
});
