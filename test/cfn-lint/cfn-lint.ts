// cfn-lint, with a program that checks templates.
export const cfnLint = { name: 'cfn-lint', folder: import.meta.dirname, file: 'lint.py' } as const;
