/** Tools that VS Code's chat lacks, as `backline_…` in package.json (`languageModelTools`), with progress messages. */
export const progressMessagesByChatTool = {
  outline: 'Looking at the outline',
  hover: 'Looking up types and documentation',
  call_hierarchy: 'Following calls',
  fixes: 'Looking at fixes',
  format: 'Formatting',
} as const;
