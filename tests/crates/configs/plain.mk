plain.heading := plain
