import type { Command } from 'commander';
import { adminCommand } from './admin.ts';
import { exportCommand, restoreCommand, verifyCommand } from './archive.ts';
import { configCommand } from './config.ts';
import { doctorCommand } from './doctor.ts';
import { healthCommand } from './health.ts';
import { historyCommand } from './history.ts';
import { importCommand } from './import.ts';
import { mailCommand } from './mail.ts';
import { migrateCommand } from './migrate.ts';
import { upgradeCommand } from './upgrade/command.ts';
import { compareCommand } from './upgrade/compare-command.ts';
import { userCommand } from './user.ts';
import { versionCommand } from './version.ts';

/** The commands other than `coterie start`, in the order of the help. */
export function addOtherCommands(program: Command): void {
  program.addCommand(migrateCommand());
  program.addCommand(upgradeCommand());
  program.addCommand(compareCommand(), { hidden: true });
  program.addCommand(adminCommand());
  program.addCommand(userCommand());
  program.addCommand(historyCommand());
  program.addCommand(importCommand());
  program.addCommand(exportCommand());
  program.addCommand(verifyCommand());
  program.addCommand(restoreCommand());
  program.addCommand(doctorCommand());
  program.addCommand(healthCommand());
  program.addCommand(configCommand());
  program.addCommand(versionCommand());
  program.addCommand(mailCommand());
}
