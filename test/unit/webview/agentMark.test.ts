import assert from 'node:assert/strict';
import { knownAgents } from '../../../src/acp/common/catalogue/knownAgents';
import { agentMark, agentMarkSvg, markColors } from '../../../src/webview/common/agentMark';

describe('the mark of an agent', () => {
  const letters = (title: string): string => agentMark('id', title).letters;

  it('has the first two letters of the name, whatever follows in it', () => {
    assert.deepEqual(['Claude', 'Claude Agent', 'pi ACP', '“Ü” x', '7', '…'].map(letters), [
      'Cl',
      'Cl',
      'Pi',
      'Ü',
      '7',
      '?',
    ]);
    // A name is no place for markup, and half a character is not drawn.
    assert.equal(letters('<b>&amp;'), 'B');
    assert.equal(letters('𝒜𝒞'), '𝒜𝒞');
  });

  it('tells known agents apart, and is the same for all accounts of one', () => {
    const marks = knownAgents.map(({ id, title }) => agentMarkSvg(agentMark(id, title)));
    assert.equal(new Set(marks).size, knownAgents.length);
    const popular = ['claude', 'codex', 'gemini', 'copilot', 'cursor', 'opencode'];
    assert.equal(new Set(popular.map((id) => agentMark(id, id).color)).size, popular.length);
    assert.deepEqual(agentMark('claude~Work', 'Claude (Work)'), agentMark('claude', 'Claude'));
  });

  it('has white letters that are readable on each color', () => {
    for (const color of markColors) {
      const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
        const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
      });
      const contrast = 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
      assert.ok(contrast >= 4.5, `${color}: ${contrast.toFixed(2)}`);
    }
  });
});
