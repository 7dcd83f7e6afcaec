import { agentMark } from '../common/agentMark';

interface AgentTileProps {
  /** Of the agent as a backend. */
  readonly id: string;
  readonly title: string;
  /** A data URI of its icon, which replaces the letters. Only its shape is used. */
  readonly icon?: string | undefined;
}

/** The picture beside the name of an agent. */
export function AgentTile({ id, title, icon }: AgentTileProps) {
  const { color: backgroundColor, letters } = agentMark(id, title);
  return (
    <span
      class="agent-tile"
      style={{ backgroundColor }}
      aria-hidden="true"
      data-letters={icon === undefined ? letters : undefined}
    >
      {icon !== undefined && <span class="agent-tile-icon" style={{ maskImage: `url("${icon}")` }} />}
    </span>
  );
}
