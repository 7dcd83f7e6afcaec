/** A picture of an agent that needs neither a logo nor the network. */
interface AgentMark {
  /** One or two letters or digits, the first one in upper case. */
  readonly letters: string;
  /** `#rrggbb`, on which white text is readable. */
  readonly color: string;
}

export const markColors = [
  '#8f4a3a',
  '#7d5a1c',
  '#5b6b24',
  '#356b3f',
  '#23695c',
  '#2a6580',
  '#3a5a9c',
  '#5c50a3',
  '#7b4796',
  '#90416c',
] as const;

/** With this one, the most popular agents have different colors. */
const hashFactor = 375;

/**
 * The mark of an agent: the same wherever it is shown. The color follows from the id, so that agents whose names begin alike
 * differ, and the accounts of an agent don’t. `backendId`: of the agent as a backend.
 */
export function agentMark(backendId: string, title: string): AgentMark {
  const [word = '?'] = /[\p{L}\p{N}]+/u.exec(title) ?? [];
  const [first = '', second = ''] = word;
  const [agentId = ''] = backendId.split('~');
  let hash = 0;
  for (const character of agentId) hash = (Math.imul(hash, hashFactor) + (character.codePointAt(0) ?? 0)) >>> 0;
  return {
    letters: first.toLocaleUpperCase('en') + second,
    color: markColors[hash % markColors.length] ?? markColors[0],
  };
}

/** The mark as the text of an SVG image of 16 by 16 pixels. */
export function agentMarkSvg({ color, letters }: AgentMark): string {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="${color}"/>` +
    `<text x="8" y="11.5" fill="#fff" font-family="system-ui, sans-serif" font-size="9" font-weight="600" text-anchor="middle">${letters}</text></svg>`
  );
}
