import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { oneLine } from '../../../base/common/text/oneLine';

/** Maximum length of a description that becomes the title, in UTF-16 units. Longer ones stay below More. */
const maxDescriptionUnits = 120;

const languages: Readonly<Record<string, string>> = {
  python: 'Python',
  node: 'JavaScript',
  ruby: 'Ruby',
  perl: 'Perl',
  php: 'PHP',
  bash: 'shell',
  sh: 'shell',
};

/** Whether the description of a command can be its title: it has one line and is short. */
export function isTitle(description: unknown): description is string {
  return (
    typeof description === 'string' &&
    description.trim() !== '' &&
    description.length <= maxDescriptionUnits &&
    oneLine(description) === description.trim()
  );
}

/**
 * Describes a command that does nothing but run a script in a here-document, for example `Run a Python script (27 lines)`.
 * Undefined for all others, also if the shell would expand the script or run anything after it.
 */
export function describeScript(command: string): string | undefined {
  const [, program = '', , end = '', script = ''] =
    /^(python|node|ruby|perl|php|bash|sh)[\d.]*(?: -)?[ \t]*<<[ \t]*(['"])(\w+)\2[ \t]*\n([\s\S]*)\n\3\s*$/.exec(
      command,
    ) ?? [];
  const language = languages[program];
  const lines = script.split('\n');
  return language === undefined || lines.includes(end)
    ? undefined
    : `Run a ${language} script (${countWithNoun(lines.length, 'line')})`;
}
