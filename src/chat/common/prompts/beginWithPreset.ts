import type { BackendChoice } from '../page/backendChoice';
import type { NewSessionOptions } from '../page/newSessionOptions';
import { narrowPreset } from './narrowPreset';
import type { Presets } from './presets';

interface BeginPorts {
  readonly presets: Pick<Presets, 'all' | 'choose'>;
  readonly backends: Pick<BackendChoice, 'backendViews' | 'choose' | 'chosenBackend' | 'refresh'>;
  readonly newOptions: Pick<NewSessionOptions, 'of'>;
  readonly notify: (text: string) => void;
}

/**
 * Chooses the agent and the options of a preset for the next conversation. Says what of a preset of the workspace is left out.
 * @throws Error with a message for the user, if there is no such preset or agent
 */
export async function beginWithPreset(
  name: string,
  { backends, newOptions, notify, presets }: BeginPorts,
): Promise<void> {
  const preset = presets.all.find((known) => known.name === name);
  if (!preset) throw new Error(`There is no preset “${name}” in backline.chat.presets.`);
  await backends.refresh();
  const { agent } = preset;
  const backend =
    agent === undefined
      ? backends.chosenBackend
      : (backends.backendViews.find(({ id }) => id === agent) ??
        backends.backendViews.find(({ title }) => title === agent));
  if (!backend) throw new Error(`The agent of the preset “${name}” does not exist: ${agent ?? 'none is chosen'}.`);
  const options = newOptions.of(backend.id);
  const { left, values } = narrowPreset(preset, options.options);
  if (backend.id !== backends.chosenBackend?.id) backends.choose(backend.id);
  options.chooseOnce?.(values);
  presets.choose(preset, backend.id);
  if (left.length === 0) return;
  notify(
    `The preset “${name}” of this workspace was used without ${left.join(', ')}: a workspace can only choose a model, and modes that ask. Choose it yourself if you want it.`,
  );
}
