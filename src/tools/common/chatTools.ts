/**
 * The tools that VS Code's own chat has none like: it finds usages, reads and searches by itself. There they are called
 * `backline_` and the name, as in `languageModelTools` of package.json.
 */
export const chatTools = {
  outline: 'Looking at the outline',
  hover: 'Looking up types and documentation',
  call_hierarchy: 'Following calls',
} as const;
