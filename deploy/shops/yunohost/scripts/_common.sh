#!/bin/bash

# Settings that YunoHost gives each of its scripts.
: "${app:=}" "${install_dir:=}" "${data_dir:=}"

# Runs a command of Coterie on this site, as the user of the site.
run_coterie() {
    ynh_exec_as_app env SETTINGS_FILE="$install_dir/env" BACKUP_PASSPHRASE= BACKUP_RECIPIENTS= \
        "$install_dir/coterie" "$@"
}

# The program and its settings belong to root. The site reads them by its group: YunoHost lets nobody else.
protect_program() {
    chown -R "root:$app" "$install_dir"
    chmod 640 "$install_dir/env"
}
