import assert from 'node:assert/strict';
import { MemoryMemento } from '../../../fake/memoryMemento';
import { AttachedTexts } from '../../../../src/chat/common/mentions/attachedTexts';

const throwIt = (error: unknown): never => {
  throw error;
};

describe('AttachedTexts', () => {
  let ids = 0;
  const newId = () => `id-${++ids}`;
  const textsOf = (memento = new MemoryMemento()) => new AttachedTexts({ newId, memento, onError: throwIt });

  it('are sent with the prompt that they are attached to', async () => {
    const texts = textsOf();
    const attachment = texts.add('Last week’s thread', 'What was said.');
    assert.equal(attachment.tokens, 4);
    const [sent] = await texts.resolve(attachment);
    assert.ok(sent?.type === 'text');
    assert.deepEqual([sent.title, sent.text], ['Last week’s thread', 'What was said.']);
  });

  it('determine the working folder while they are attached', () => {
    const texts = textsOf();
    const attachments = [texts.add('no place', 'text'), texts.add('with one', 'text', '/work/shop')];
    assert.equal(texts.workingFolderOf({ text: '', attachments }), '/work/shop');
    assert.equal(texts.workingFolderOf({ text: '', attachments: attachments.slice(0, 1) }), undefined);
  });

  it('do not replace those of another window, whose drafts are kept', () => {
    const [here, there] = [textsOf(), textsOf()];
    const attachments = [here.add('A', 'text', '/work/a'), there.add('B', 'text', '/work/b')];
    assert.notEqual(attachments[0]?.id, attachments[1]?.id);
    assert.equal(there.workingFolderOf({ text: '', attachments }), '/work/b');
  });

  it('are restored after a reload, with the draft that contains them', async () => {
    const memento = new MemoryMemento();
    const attachment = textsOf(memento).add('A', 'What was said.', '/work/a');
    const [sent] = await textsOf(memento).resolve(attachment);
    assert.ok(sent?.type === 'text' && sent.text === 'What was said.');
    assert.equal(textsOf(memento).workingFolderOf({ text: '', attachments: [attachment] }), '/work/a');
    await memento.update('chat.attachedTexts', { broken: true });
    assert.throws(() => textsOf(memento).textOf(attachment), /“A” is no longer stored/);
  });

  it('are not found at @', async () => assert.deepEqual(await textsOf().search(), []));

  it('are kept until they are sent, however many there are', async () => {
    const memento = new MemoryMemento();
    const texts = textsOf(memento);
    const all = Array.from({ length: 60 }, (_, index) => texts.add(`text ${index}`, 'x'.repeat(10_000)));
    for (const attachment of all) assert.equal(texts.textOf(attachment).length, 10_000);
    // Sent texts make room first, even if they are newer.
    const sent = texts.add('sent', 'y'.repeat(300_000));
    await texts.resolve(sent);
    const last = texts.add('last', 'z'.repeat(300_000));
    assert.throws(() => texts.textOf(sent), /“sent” is no longer stored. Attach it again./);
    for (const attachment of [...all, last]) assert.notEqual(textsOf(memento).textOf(attachment), '');
  });

  it('are not left out silently if there are too many', async () => {
    const texts = textsOf();
    const [first] = Array.from({ length: 45 }, () => texts.add('large', 'x'.repeat(100_000)));
    assert.ok(first);
    await assert.rejects(texts.resolve(first), /“large” is no longer stored/);
  });
});
