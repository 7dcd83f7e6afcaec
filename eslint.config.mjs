import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** What a layer may not import; the architecture test holds the relative imports. */
const pure = ['vscode', 'node:*', 'ws'];
/**
 * @param {string[]} group
 * @param {string} message
 * @returns {import('eslint').Linter.RulesRecord}
 */
const noImport = (group, message) => ({ 'no-restricted-imports': ['error', { patterns: [{ group, message }] }] });

/** Pages have the DOM, and JSX; nothing else has. */
export const pages = ['src/*/browser/**', 'test/page/**', 'bench/page/**'];

export default defineConfig(
  { ignores: ['dist', 'out', '.cache', 'node_modules', 'examples/workspace', '**/fixtures'] },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      eqeqeq: 'error',
    },
  },
  {
    files: pages,
    languageOptions: { parserOptions: { projectService: false, project: './tsconfig.page.json' } },
  },
  { files: ['src/**/common/**'], rules: noImport(pure, 'common is pure: take a port instead') },
  { files: ['src/**/node/**', 'src/**/browser/**'], rules: noImport(['vscode'], 'only vscode/ folders adapt VS Code') },
  // What runs in the editor writes to its log; scripts and benches write to the terminal.
  {
    files: ['src/**'],
    rules: {
      'no-console': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "BinaryExpression[operator='instanceof'][right.name=/^(BackendError|EditorError|AmplifierApiError)$/]",
          message: 'each bundle has a class of its own: ask isBackendError, isEditorError or isAmplifierApiError',
        },
      ],
    },
  },
);
