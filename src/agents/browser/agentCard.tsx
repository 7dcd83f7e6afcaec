import { useId } from 'preact/hooks';
import {
  AddIcon,
  ArrowDownIcon,
  CheckIcon,
  CircleIcon,
  CloseIcon,
  EditIcon,
  GlobeIcon,
  MoreIcon,
  RevertIcon,
  SendIcon,
  ShieldIcon,
  TrashIcon,
  WarningIcon,
  type Icon,
} from '../../webview/browser/icons';
import { AgentTile } from '../../webview/browser/agentTile';
import { MenuButton } from '../../webview/browser/menu';
import type { AgentActionKind, AgentCard, AgentCardState } from '../common/page/agentsApi';
import type { AgentsPage } from './agentsPage';

interface AgentCardRowProps {
  readonly card: AgentCard;
  readonly page: AgentsPage;
  /** Whether this card is in the tab order. */
  readonly isActive: boolean;
  readonly onFocus: () => void;
}

/** Maximum number of buttons, of which an agent that is not installed has only one. Other actions are in a menu. */
const maxButtons = 2;

export function AgentCardRow({ card, page, isActive, onFocus }: AgentCardRowProps) {
  const id = useId();
  const { actions, backendId, description, facts, key, name, origin, state } = card;
  const buttonCount = state.kind === 'available' ? 1 : maxButtons;
  const tabIndex = isActive ? 0 : -1;
  const run = (kind: AgentActionKind): void => page.act(key, kind);
  const [primary] = actions;
  return (
    <li>
      <div
        class="agent"
        role="group"
        data-key={key}
        tabIndex={tabIndex}
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-state`}
        aria-keyshortcuts={primary && 'Enter'}
        onFocusCapture={onFocus}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.target !== event.currentTarget || !primary) return;
          event.preventDefault();
          run(primary.kind);
        }}
      >
        <AgentTile id={backendId} title={name} icon={page.state.iconsByKey.get(key)} />
        <div class="agent-text">
          <h3 id={`${id}-name`}>
            <bdi>{name}</bdi>
          </h3>
          {description !== '' && <p class="agent-description">{description}</p>}
          <p class="agent-facts">
            {[...facts, origin].filter(Boolean).map((fact) => (
              <bdi key={fact} class="agent-fact">
                {fact}
              </bdi>
            ))}
          </p>
          <State id={`${id}-state`} state={state} />
        </div>
        <div class="agent-actions">
          {actions.slice(0, buttonCount).map((action, index) => (
            <button
              key={action.kind}
              type="button"
              class={`button ${index === 0 && primaryActions.has(action.kind) ? 'is-primary' : ''}`}
              tabIndex={tabIndex}
              aria-label={`${action.label.replace('…', '')} ${name}`}
              onClick={() => run(action.kind)}
            >
              {action.label}
            </button>
          ))}
          {actions.length > buttonCount && (
            <MenuButton
              label={`More actions for ${name}`}
              icon={MoreIcon}
              tabIndex={tabIndex}
              items={actions.slice(buttonCount).map(({ kind, label }) => ({
                label,
                icon: actionIcons[kind],
                run: () => run(kind),
              }))}
            />
          )}
        </div>
      </div>
    </li>
  );
}

/** Actions that are shown as primary if they come first: what an agent needs before it can be used. */
const primaryActions: ReadonlySet<AgentActionKind> = new Set(['signIn', 'restart', 'allow']);

const stateIcons: Readonly<Record<AgentCardState['kind'], Icon>> = {
  available: CircleIcon,
  installing: CircleIcon,
  installed: CheckIcon,
  update: ArrowDownIcon,
  signIn: ShieldIcon,
  starting: CircleIcon,
  ready: CheckIcon,
  broken: WarningIcon,
};

const actionIcons: Readonly<Record<AgentActionKind, Icon>> = {
  install: ArrowDownIcon,
  cancel: CloseIcon,
  update: ArrowDownIcon,
  remove: TrashIcon,
  addAccount: AddIcon,
  removeAccount: TrashIcon,
  signIn: ShieldIcon,
  chat: SendIcon,
  restart: RevertIcon,
  llmProviders: GlobeIcon,
  allow: ShieldIcon,
  edit: EditIcon,
  openWebsite: GlobeIcon,
};

function State({ id, state }: { id: string; state: AgentCardState }) {
  const { advice, fraction, kind, text } = state;
  const StateIcon = stateIcons[kind];
  return (
    <div id={id} class={kind === 'available' ? 'visually-hidden' : `agent-state is-${kind}`}>
      {kind === 'installing' || kind === 'starting' ? <span class="spinner" aria-hidden="true" /> : <StateIcon />}
      <div class="agent-state-text">
        <span>{text}</span>
        {advice !== undefined && <span> {advice}</span>}
        {kind === 'installing' && <Progress fraction={fraction} text={text} />}
      </div>
    </div>
  );
}

function Progress({ fraction, text }: { fraction: number | undefined; text: string }) {
  const percent = fraction === undefined ? undefined : Math.round(fraction * 100);
  return (
    <progress
      class="agent-progress"
      aria-label={text}
      max={100}
      {...(percent === undefined ? {} : { value: percent })}
    />
  );
}
