-- Behind a pooler the limit of a query belongs to the role.
alter role coterie set statement_timeout = '30s';
