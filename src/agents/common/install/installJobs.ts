import type { InstallProgress, InstallState } from './agentInstall';

/** The running installation of an agent, or the failure of its last one. */
export type InstallJob = Extract<InstallState, { kind: 'installing' | 'failed' }>;

export type JobEvent =
  | { readonly kind: 'started' }
  | { readonly kind: 'progressed'; readonly progress: InstallProgress }
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly message: string; readonly advice?: string };

export type InstallJobs = ReadonlyMap<string, InstallJob>;

/** Returns the jobs after an event of the agent with this registry id. Progress of a job that has ended is ignored. */
export function jobsAfterEvent(jobs: InstallJobs, id: string, event: JobEvent): InstallJobs {
  const next = new Map(jobs);
  switch (event.kind) {
    case 'started':
      return next.set(id, { kind: 'installing', stage: 'Preparing…' });
    case 'progressed':
      return jobs.get(id)?.kind === 'installing' ? next.set(id, { kind: 'installing', ...event.progress }) : jobs;
    case 'ended':
      next.delete(id);
      return next;
    case 'failed': {
      const { kind, ...failure } = event;
      return next.set(id, { kind, ...failure });
    }
  }
}
