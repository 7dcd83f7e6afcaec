/** How a file is started, by its first bytes and its name. */
export type ProgramKind =
  | { readonly kind: 'native' }
  /** Node.js runs it, with these options before the script. */
  | { readonly kind: 'nodeScript'; readonly nodeArgs: readonly string[] }
  | { readonly kind: 'other' };

const elf = [0x7f, 0x45, 0x4c, 0x46];
const windowsProgram = [0x4d, 0x5a];
/** The first bytes of 32-bit and 64-bit programs in both byte orders, and of programs for several processors. */
const machO = [
  [0xfe, 0xed, 0xfa, 0xce],
  [0xfe, 0xed, 0xfa, 0xcf],
  [0xce, 0xfa, 0xed, 0xfe],
  [0xcf, 0xfa, 0xed, 0xfe],
  [0xca, 0xfe, 0xba, 0xbe],
];

/** `head` holds at least the first line, or 256 bytes. */
export function programKindOf(fileName: string, head: Uint8Array): ProgramKind {
  const startsWith = (magic: readonly number[]): boolean => magic.every((byte, at) => head[at] === byte);
  if ([elf, windowsProgram, ...machO].some(startsWith)) return { kind: 'native' };
  const [line = ''] = new TextDecoder().decode(head).split('\n', 1);
  const shebang = /^#!\s*(?<program>\S+)(?:\s+(?<rest>.*?))?\s*$/.exec(line)?.groups;
  if (!shebang) return /\.[cm]?js$/i.test(fileName) ? { kind: 'nodeScript', nodeArgs: [] } : { kind: 'other' };
  const words = [shebang['program'] ?? '', ...(shebang['rest'] ?? '').split(/\s+/)].filter((word) => word !== '');
  // `env` finds the program on PATH, and splits its arguments with `-S`.
  const command = /(?:^|\/)env$/.test(words[0] ?? '') ? words.slice(1).filter((word) => word !== '-S') : words;
  const [program = '', ...nodeArgs] = command;
  return /(?:^|\/)node(?:js)?$/.test(program) ? { kind: 'nodeScript', nodeArgs } : { kind: 'other' };
}
