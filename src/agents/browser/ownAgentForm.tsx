import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { IconButton } from '../../webview/browser/iconButton';
import { AddIcon, CheckIcon, ErrorIcon, TrashIcon } from '../../webview/browser/icons';
import {
  agentsRequests,
  type OwnAgent,
  type OwnAgentTestResult,
  type OwnAgentDefault,
  type OwnAgentVariable,
} from '../common/page/agentsApi';
import type { AgentsPage } from './agentsPage';

interface OwnAgentFormProps {
  readonly page: AgentsPage;
  readonly initial: OwnAgent;
}

/** The command is tested before it is saved. A command that does not work can be saved anyway and corrected later. */
export function OwnAgentForm({ page, initial }: OwnAgentFormProps) {
  const id = useId();
  const first = useRef<HTMLInputElement>(null);
  const [form, setForm] = useState(initial);
  const [test, setTest] = useState<OwnAgentTestResult | 'running'>();
  useEffect(() => first.current?.focus(), []);

  const isEdit = initial.previousName !== undefined;
  const verb = isEdit ? 'Save' : 'Add';
  const change = (part: Partial<OwnAgent>): void => {
    setForm({ ...form, ...part });
    setTest(undefined);
  };
  const runTest = async (): Promise<boolean> => {
    setTest('running');
    const result = await page.sendRequest(agentsRequests.testOwnAgent, form);
    setTest(result);
    return result?.isWorking === true;
  };
  const save = async (): Promise<void> => {
    if (await page.sendRequest(agentsRequests.saveOwnAgent, form)) page.closeForm();
  };
  const submit = async (): Promise<void> => {
    if (await runTest()) await save();
  };
  const isRunning = test === 'running';
  const hasFailed = test !== undefined && test !== 'running' && !test.isWorking;

  return (
    <form
      class="own-agent"
      aria-labelledby={`${id}-title`}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') page.closeForm();
      }}
    >
      <h2 id={`${id}-title`}>{isEdit ? `Edit ${initial.name}` : 'Add Your Own Agent'}</h2>
      <Field label="Name" id={`${id}-name`}>
        <input
          ref={first}
          id={`${id}-name`}
          class="text-field"
          required
          maxLength={60}
          value={form.name}
          onInput={({ currentTarget }) => change({ name: currentTarget.value })}
        />
      </Field>
      <Field
        label="Command"
        id={`${id}-command`}
        hint="The program and its arguments, for example: my-agent --acp. Quote words that contain spaces. No shell is used."
      >
        <input
          id={`${id}-command`}
          class="text-field is-code"
          aria-describedby={`${id}-command-hint`}
          required
          spellcheck={false}
          autocomplete="off"
          value={form.commandLine}
          onInput={({ currentTarget }) => change({ commandLine: currentTarget.value })}
        />
      </Field>
      <Variables variables={form.variables} isEdit={isEdit} onChange={(variables) => change({ variables })} />
      <Field label="Folder" id={`${id}-folder`} hint="Where it runs. If empty, the first workspace folder.">
        <input
          id={`${id}-folder`}
          class="text-field is-code"
          aria-describedby={`${id}-folder-hint`}
          spellcheck={false}
          autocomplete="off"
          value={form.folder}
          onInput={({ currentTarget }) => change({ folder: currentTarget.value })}
        />
      </Field>
      <Field label="Protocol" id={`${id}-dialect`}>
        <select
          id={`${id}-dialect`}
          class="own-agent-select"
          value={form.dialect}
          onChange={({ currentTarget }) => change({ dialect: currentTarget.value === 'draft' ? 'draft' : 'v1' })}
        >
          <option value="v1">Agent Client Protocol, version 1</option>
          <option value="draft">Draft of June 2025</option>
        </select>
      </Field>
      <Defaults defaults={form.defaults} onChange={(defaults) => change({ defaults })} />
      <div class={`own-agent-result ${hasFailed ? 'is-broken' : 'is-working'}`} role="status">
        <TestResult test={test} />
      </div>
      <div class="own-agent-buttons">
        <button type="submit" class="button is-primary" disabled={isRunning}>
          {hasFailed ? 'Try Again' : verb}
        </button>
        {hasFailed && (
          <button type="button" class="button" onClick={() => void save()}>
            {`${verb} Anyway`}
          </button>
        )}
        <button type="button" class="button" disabled={isRunning} onClick={() => void runTest()}>
          Test
        </button>
        <button type="button" class="button" onClick={() => page.closeForm()}>
          Cancel
        </button>
      </div>
    </form>
  );
}

function TestResult({ test }: { test: OwnAgentTestResult | 'running' | undefined }) {
  if (test === undefined) return null;
  if (test === 'running') {
    return (
      <>
        <span class="spinner" aria-hidden="true" />
        <span>Starting the command and waiting for its answer…</span>
      </>
    );
  }
  return (
    <>
      {test.isWorking ? <CheckIcon /> : <ErrorIcon />}
      <span>{test.message}</span>
    </>
  );
}

interface FieldProps {
  readonly label: string;
  readonly id: string;
  readonly hint?: string;
  readonly children: ComponentChildren;
}

function Field({ label, id, hint, children }: FieldProps) {
  return (
    <div class="own-agent-field">
      <label for={id}>{label}</label>
      {children}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="own-agent-hint">
          {hint}
        </p>
      )}
    </div>
  );
}

interface VariablesProps {
  readonly variables: readonly OwnAgentVariable[];
  readonly isEdit: boolean;
  readonly onChange: (variables: OwnAgentVariable[]) => void;
}

function Variables({ variables, isEdit, onChange }: VariablesProps) {
  const replace = (index: number, part: Partial<OwnAgentVariable>): void =>
    onChange(variables.map((variable, at) => (at === index ? { ...variable, ...part } : variable)));
  return (
    <fieldset class="own-agent-variables">
      <legend>Environment variables</legend>
      {variables.map((variable, index) => {
        const number = `variable ${index + 1}`;
        return (
          <div key={index} class="own-agent-variable">
            <input
              class="text-field is-code"
              aria-label={`Name of ${number}`}
              placeholder="NAME"
              spellcheck={false}
              autocomplete="off"
              value={variable.name}
              onInput={({ currentTarget }) => replace(index, { name: currentTarget.value })}
            />
            <input
              {...(variable.isSecret ? { type: 'password' as const } : {})}
              class="text-field is-code"
              aria-label={`Value of ${number}`}
              placeholder={variable.isSecret && isEdit ? 'Stored; type to replace' : 'Value'}
              spellcheck={false}
              autocomplete="off"
              value={variable.value}
              onInput={({ currentTarget }) => replace(index, { value: currentTarget.value })}
            />
            <label class="own-agent-secret" title="Kept in VS Code’s secret storage instead of the settings">
              <input
                type="checkbox"
                checked={variable.isSecret}
                onChange={({ currentTarget }) => replace(index, { isSecret: currentTarget.checked })}
              />
              Secret
            </label>
            <IconButton
              label={`Remove ${number}`}
              icon={TrashIcon}
              onClick={() => onChange(variables.filter((_, at) => at !== index))}
            />
          </div>
        );
      })}
      <button
        type="button"
        class="link-button"
        onClick={() => onChange([...variables, { name: '', value: '', isSecret: false }])}
      >
        <AddIcon /> Add Variable
      </button>
    </fieldset>
  );
}

interface DefaultsProps {
  readonly defaults: readonly OwnAgentDefault[];
  readonly onChange: (defaults: OwnAgentDefault[]) => void;
}

/** The initial options of new conversations with the agent. */
function Defaults({ defaults, onChange }: DefaultsProps) {
  const id = useId();
  const replace = (index: number, part: Partial<OwnAgentDefault>): void =>
    onChange(defaults.map((entry, at) => (at === index ? { ...entry, ...part } : entry)));
  return (
    <fieldset class="own-agent-variables" aria-describedby={`${id}-hint`}>
      <legend>Options for new conversations</legend>
      <p id={`${id}-hint`} class="own-agent-hint">
        For example mode or model, with a value that the chat offers.
      </p>
      {defaults.map((entry, index) => {
        const number = `option ${index + 1}`;
        return (
          <div key={index} class="own-agent-variable is-default">
            <input
              class="text-field"
              aria-label={`Name of ${number}`}
              placeholder="mode"
              spellcheck={false}
              autocomplete="off"
              value={entry.option}
              onInput={({ currentTarget }) => replace(index, { option: currentTarget.value })}
            />
            <input
              class="text-field"
              aria-label={`Value of ${number}`}
              placeholder="Value"
              spellcheck={false}
              autocomplete="off"
              value={entry.value}
              onInput={({ currentTarget }) => replace(index, { value: currentTarget.value })}
            />
            <IconButton
              label={`Remove ${number}`}
              icon={TrashIcon}
              onClick={() => onChange(defaults.filter((_, at) => at !== index))}
            />
          </div>
        );
      })}
      <button type="button" class="link-button" onClick={() => onChange([...defaults, { option: '', value: '' }])}>
        <AddIcon /> Add Option
      </button>
    </fieldset>
  );
}
