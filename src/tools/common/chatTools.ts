/** Tools that VS Code's chat lacks, as `backline_…` in package.json (`languageModelTools`), with progress messages. */
export const progressMessagesByChatTool = {
  outline: 'Reading the outline',
  hover: 'Looking up types and documentation',
  call_hierarchy: 'Following calls',
  fixes: 'Looking up fixes',
  format: 'Formatting',
} as const;
