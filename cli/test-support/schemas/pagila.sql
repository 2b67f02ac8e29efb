-- The shop of Pagila, by its documentation: keys with the name of their table, last_update, an enum, a domain, an array,
-- a text search, tables that refer to each other, and a view.
create type mpaa_rating as enum ('G', 'PG', 'PG-13', 'R', 'NC-17');
create domain year as integer constraint year_check check (value >= 1901 and value <= 2155);

create table language (
  language_id serial primary key,
  name character(20) not null,
  last_update timestamp with time zone not null default now()
);
create table category (
  category_id serial primary key,
  name text not null,
  last_update timestamp with time zone not null default now()
);
create table actor (
  actor_id serial primary key,
  first_name text not null,
  last_name text not null,
  last_update timestamp with time zone not null default now()
);
create index idx_actor_last_name on actor (last_name);
create table country (
  country_id serial primary key,
  country text not null,
  last_update timestamp with time zone not null default now()
);
create table city (
  city_id serial primary key,
  city text not null,
  country_id integer not null references country on update cascade on delete restrict,
  last_update timestamp with time zone not null default now()
);
create table address (
  address_id serial primary key,
  address text not null,
  address2 text,
  district text not null,
  city_id integer not null references city on update cascade on delete restrict,
  postal_code text,
  phone text not null,
  last_update timestamp with time zone not null default now()
);
create table film (
  film_id serial primary key,
  title text not null,
  description text,
  release_year year,
  language_id integer not null references language on update cascade on delete restrict,
  original_language_id integer references language on update cascade on delete restrict,
  rental_duration smallint not null default 3,
  rental_rate numeric(4,2) not null default 4.99,
  length smallint,
  replacement_cost numeric(5,2) not null default 19.99,
  rating mpaa_rating default 'G',
  last_update timestamp with time zone not null default now(),
  special_features text[],
  fulltext tsvector not null default ''
);
create index film_fulltext_idx on film using gist (fulltext);
create index idx_title on film (title);
create table film_actor (
  actor_id integer not null references actor on update cascade on delete restrict,
  film_id integer not null references film on update cascade on delete restrict,
  last_update timestamp with time zone not null default now(),
  primary key (actor_id, film_id)
);
create table film_category (
  film_id integer not null references film on update cascade on delete restrict,
  category_id integer not null references category on update cascade on delete restrict,
  last_update timestamp with time zone not null default now(),
  primary key (film_id, category_id)
);
create table store (
  store_id serial primary key,
  manager_staff_id integer not null unique,
  address_id integer not null references address on update cascade on delete restrict,
  last_update timestamp with time zone not null default now()
);
create table staff (
  staff_id serial primary key,
  first_name text not null,
  last_name text not null,
  address_id integer not null references address on update cascade on delete restrict,
  email text,
  store_id integer not null references store,
  active boolean not null default true,
  username text not null,
  password text,
  last_update timestamp with time zone not null default now(),
  picture bytea
);
alter table store add constraint store_manager_staff_id_fkey foreign key (manager_staff_id) references staff deferrable;
create table customer (
  customer_id serial primary key,
  store_id integer not null references store on update cascade on delete restrict,
  first_name text not null,
  last_name text not null,
  email text,
  address_id integer not null references address on update cascade on delete restrict,
  activebool boolean not null default true,
  create_date date not null default current_date,
  last_update timestamp with time zone default now(),
  active integer
);
create table inventory (
  inventory_id serial primary key,
  film_id integer not null references film on update cascade on delete restrict,
  store_id integer not null references store on update cascade on delete restrict,
  last_update timestamp with time zone not null default now()
);
create table rental (
  rental_id serial primary key,
  rental_date timestamp with time zone not null,
  inventory_id integer not null references inventory on update cascade on delete restrict,
  customer_id integer not null references customer on update cascade on delete restrict,
  return_date timestamp with time zone,
  staff_id integer not null references staff on update cascade on delete restrict,
  last_update timestamp with time zone not null default now()
);
create unique index idx_unq_rental on rental (rental_date, inventory_id, customer_id);
create table payment (
  payment_id serial primary key,
  customer_id integer not null references customer on update cascade on delete restrict,
  staff_id integer not null references staff on update cascade on delete restrict,
  rental_id integer not null references rental on update cascade on delete set null,
  amount numeric(5,2) not null,
  payment_date timestamp with time zone not null
);
create view actor_info as select actor_id, first_name, last_name from actor;

insert into language (name) values ('English'), ('French');
insert into actor (first_name, last_name) values ('PENELOPE', 'GUINESS'), ('NICK', 'WAHLBERG');
insert into category (name) values ('Action'), ('Documentary');
insert into country (country) values ('Canada');
insert into city (city, country_id) values ('Lethbridge', 1);
insert into address (address, district, city_id, phone) values ('47 MySakila Drive', 'Alberta', 1, '');
insert into film (title, description, release_year, language_id, length, special_features)
  values ('ACADEMY DINOSAUR', 'An epic drama', 2006, 1, 86, '{Trailers,"Deleted Scenes"}'), ('ACE GOLDFINGER', null, 2006, 1, 48, null);
insert into film_actor (actor_id, film_id) values (1, 1), (2, 1), (2, 2);
