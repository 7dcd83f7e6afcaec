import assert from 'node:assert/strict';
import { readsRootMcpFile } from '../../../../../src/acp/node/catalogue/rootMcpFile';

describe('agents that read .mcp.json themselves', () => {
  it('are Claude Code and Copilot, by whatever starts them', () => {
    for (const words of [
      ['claude-code-acp'],
      ['npx', '@agentclientprotocol/claude-agent-acp@0.101.0'],
      ['/usr/bin/copilot', '--acp'],
      ['node', 'C:\\agents\\claude-agent-acp\\dist\\index.js'],
    ])
      assert.ok(readsRootMcpFile(words), words.join(' '));
    for (const words of [['opencode', 'acp'], ['demo-agent.js'], ['my-claude-like-agent']])
      assert.ok(!readsRootMcpFile(words), words.join(' '));
  });
});
