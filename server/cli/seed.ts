import { Command } from 'commander';
export function seedCommand(): Command {
  return new Command('seed');
}
