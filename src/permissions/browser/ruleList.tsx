import type { Requester } from '../../webview/browser/hostConnection';
import { IconButton } from '../../webview/browser/iconButton';
import { CheckIcon, BlockedIcon, TrashIcon } from '../../webview/browser/icons';
import { permissionsRequests, type RuleRow } from '../common/page/permissionsApi';

interface RuleListProps {
  readonly rules: readonly RuleRow[];
  readonly ask: Requester;
}

/** Lists the rules with their exact conditions. */
export function RuleList({ rules, ask }: RuleListProps) {
  const groups = [
    { title: 'Always', rules: rules.filter(({ lasts }) => lasts === 'always') },
    { title: 'In open conversations', rules: rules.filter(({ lasts }) => lasts === 'conversation') },
  ].filter((group) => group.rules.length > 0);
  if (groups.length === 0) {
    return <p class="rules-none">No rules yet. When you choose a lasting answer, its rule is listed here.</p>;
  }
  return (
    <>
      {groups.map((group) => (
        <div key={group.title} class="rules">
          <h3>{group.title}</h3>
          <ul aria-label={group.title}>
            {group.rules.map((rule) => (
              <Rule key={rule.id} rule={rule} ask={ask} />
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}

/** Maximum length of a condition that is shown without a click, in UTF-16 units. */
const maxShownUnits = 200;

/** A condition of a rule. All of it can be shown, because it is what the rule allows. */
function Condition({ text }: { text: string }) {
  const line = (shown: string, state = '') => (
    <code dir="ltr" class={`rule-match ${state}`}>
      {shown}
    </code>
  );
  if (text.length <= maxShownUnits) return line(text);
  return (
    <details class="rule-condition">
      <summary title="Show or hide the whole condition">
        {line(`${text.slice(0, maxShownUnits)}…`, 'when-closed')}
        {line(text, 'when-open')}
      </summary>
    </details>
  );
}

function Rule({ rule, ask }: { rule: RuleRow; ask: Requester }) {
  const { id, effect, title, matches, who, facts, canRemove, remembers } = rule;
  const isAllowing = effect === 'allow';
  return (
    <li class="rule">
      <span class={`rule-effect is-${effect}`}>
        {isAllowing ? <CheckIcon /> : <BlockedIcon />}
        {isAllowing ? 'Allow' : 'Deny'}
      </span>
      <div class="rule-text">
        <code dir="ltr">{title}</code>
        {matches.map((line) => (
          <Condition key={line} text={line} />
        ))}
        <p class="rule-facts">
          <bdi>{who}</bdi>
          {facts !== '' && ` · ${facts}`}
          {remembers !== undefined && (
            <>
              {' '}
              <button
                type="button"
                class="link"
                aria-label={`Restart agent ${who} so that it forgets: ${title}`}
                onClick={() => void ask(permissionsRequests.restartAgent, { agent: remembers })}
              >
                Restart Agent
              </button>
            </>
          )}
        </p>
      </div>
      {canRemove && (
        <IconButton
          label={`Remove the rule: ${isAllowing ? 'allow' : 'deny'} ${title}`}
          icon={TrashIcon}
          onClick={() => void ask(permissionsRequests.removeRule, { id })}
        />
      )}
    </li>
  );
}
