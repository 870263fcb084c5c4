/** The flag of docs/take-over.md. No label can have this value. */
export const watchFilter = '--watch-filter=reconciled-by/functions';
