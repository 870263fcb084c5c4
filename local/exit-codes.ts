// The exit codes of the commands, for scripts.

/**
 * `notReady` also means findings or a failed reconcile. `broken` means a defect of this program. `changes` means that a
 * plan contains a change of `--fail-on`.
 */
export const exitCodes = { done: 0, notReady: 1, couldNotStart: 2, broken: 3, changes: 4 } as const;
