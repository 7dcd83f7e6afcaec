import assert from 'node:assert/strict';
import { readsRootMcpFile } from '../../../../../src/acp/node/catalogue/rootMcpFile';

describe('agents that read .mcp.json themselves', () => {
  it('are Claude Code and Copilot, by whatever starts them', () => {
    for (const [command, ...args] of [
      ['claude-code-acp'],
      ['claude.exe'],
      ['npx', '@agentclientprotocol/claude-agent-acp@0.101.0'],
      ['npx', '-y', '@github/copilot@1.0.102', '--acp'],
      ['/usr/bin/copilot', '--acp'],
      ['node', 'C:\\agents\\claude-agent-acp\\dist\\index.js'],
      ['node', '/opt/node_modules/@github/copilot/index.js'],
      ['cmd', '/c', 'copilot', '--acp'],
      ['C:\\Windows\\System32\\cmd.exe', '/d', '/c', 'copilot'],
      ['npx', '-y', 'copilot'],
      ['wsl', 'claude', '--acp'],
    ] as const)
      assert.ok(readsRootMcpFile({ id: 'mine', command, args }), [command, ...args].join(' '));
    for (const id of ['claude', 'Copilot', 'claude@project~1234']) assert.ok(readsRootMcpFile({ id }), id);
  });

  it('are not those that only lie or work in a folder of that name', () => {
    for (const [command, ...args] of [
      ['opencode', 'acp'],
      ['demo-agent.js'],
      ['my-claude-like-agent'],
      ['/home/claude/bin/opencode', 'acp'],
      ['node', '/work/copilot/agent.js'],
      ['opencode', '--cwd', '/work/claude'],
      ['opencode', 'claude'],
      ['npx', 'opencode', 'claude'],
      ['C:\\claude\\gemini.exe', '--acp'],
    ] as const)
      assert.ok(!readsRootMcpFile({ id: 'mine', command, args }), [command, ...args].join(' '));
    assert.ok(!readsRootMcpFile({ id: 'opencode@claude~1234' }));
  });
});
